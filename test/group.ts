import hooks from 'node:async_hooks'

/**
 * Runs files with tests in one process, as `node --test --test-isolation=none` does. Node's runner
 * follows every promise, only to say which test an error without a handler belongs to. That takes a
 * fifth of the time, so here it does not.
 */
const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
const { run } = await import('node:test')
const { spec } = await import('node:test/reporters')

run({ files: process.argv.slice(2), isolation: 'none' })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
