import module from 'node:module'

// Plain JavaScript that every Node can read, so that an old Node prints one clear line.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`caracal: needs Node 24 or newer, this is ${process.version}; use "npm start"`)
  process.exit(1)
}
// Keeps compiled code for the next start. This halves the time until the platform is ready.
module.enableCompileCache()
// Worker threads read the directory from here.
process.env.NODE_COMPILE_CACHE ??= module.getCompileCacheDir()
const { main } = await import('./src/main.ts')
await main(process.argv.slice(2))
