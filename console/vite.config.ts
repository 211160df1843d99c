import { brotliCompressSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** The platform serves these files as they are, so they are compressed here. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        if (!/\.(js|css|html|svg)$/.test(fileName)) continue
        const source = brotliCompressSync(output.type === 'chunk' ? output.code : output.source)
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source })
      }
    }
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressed],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Mantine marks its files for servers that render React; there is none here.
      onLog: (level, log, say) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') say(level, log)
      }
    }
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8080', '/mqtt': { target: 'ws://127.0.0.1:8080', ws: true } }
  }
})
