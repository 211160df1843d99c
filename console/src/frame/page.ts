import { lazyRouteComponent } from '@tanstack/react-router'

const PAUSE_MS = 2000

/** The file of a page is gone: a newer version of the console has other files. */
export class PageGone extends Error {}

const doesAnswer = (): Promise<boolean> =>
  fetch('/api/v2/ping').then(
    ({ ok }) => ok,
    () => false
  )

/**
 * Loads a page when it is opened. While the platform is away it waits, and the page before stays: a
 * reload would show an empty window.
 */
export function page<M extends Record<string, unknown>, N extends keyof M & string>(
  load: () => Promise<M>,
  name: N
) {
  const patiently = async (): Promise<M> => {
    for (;;) {
      try {
        return await load()
      } catch {
        if (await doesAnswer()) {
          return load().catch((cause) => {
            throw new PageGone('a file of the page is gone', { cause })
          })
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
  }
  return lazyRouteComponent(patiently, name)
}
