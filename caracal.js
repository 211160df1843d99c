import module from 'node:module'

// Plain JavaScript that any Node can read, so that an old one gets one clear line.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`caracal: needs Node 24 or newer, this is ${process.version}; use "npm start"`)
  process.exit(1)
}
// Compiled code is kept from start to start, which halves the time to ready.
module.enableCompileCache()
// Worker threads take it from here.
process.env.NODE_COMPILE_CACHE ??= module.getCompileCacheDir()
const { main } = await import('./src/main.ts')
await main(process.argv.slice(2))
