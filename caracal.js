// Plain JavaScript that any Node can read, so that an old one gets one clear line.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(`Caracal needs Node 24 or newer, this is ${process.version}: start it with "npm start"`)
  process.exit(1)
}
const { main } = await import('./src/main.ts')
await main(process.argv.slice(2))
