import module from 'node:module'
import v8 from 'node:v8'

// Plain JavaScript that every Node can read, so that an old Node prints one clear line.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`caracal: needs Node 24 or newer, this is ${process.version}; use "npm start"`)
  process.exit(1)
}
// V8 collects the whole heap when it is twice as large as what was in use. By itself it lets a quiet heap
// grow by a third only, so every second answer of 12 MB made it collect everything [ADR-0054].
v8.setFlagsFromString('--heap-growing-percent=100')
// Keeps compiled code for the next start. This halves the time until the platform is ready.
module.enableCompileCache()
// Worker threads read the directory from here.
process.env.NODE_COMPILE_CACHE ??= module.getCompileCacheDir()
const { main } = await import('./src/main.ts')
await main(process.argv.slice(2))
