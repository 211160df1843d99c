import type { InstallationRef } from '../../registry/installations.ts'
import { listModelx } from '../../registry/modelx.ts'
import type { Registry } from '../../registry/tables.ts'

type Found = { at: number; topics: Promise<ReadonlyMap<string, string>> }

/** Functions change seldom, and nobody tells when they do. */
const KEPT_MS = 5000
const MAX_INSTALLATIONS = 1000
/** Of one installation. */
const MAX_TOPICS = 10_000

/**
 * Functions that somebody made for a mapped topic may have a `topic_write` of their own. It stands
 * for the topic that they read.
 */
export class WriteTopics {
  readonly #registry: Registry
  readonly #clock: () => number
  readonly #found = new Map<number, Found>()

  constructor(registry: Registry, clock: () => number) {
    this.#registry = registry
    this.#clock = clock
  }

  /** `topic_read` of the function with this `topic_write`, both without the client id. */
  async readOf(installation: InstallationRef, topicWrite: string): Promise<string | undefined> {
    const { id } = installation
    const now = this.#clock()
    let found = this.#found.get(id)
    if (!found || now - found.at >= KEPT_MS || now < found.at) {
      if (this.#found.size >= MAX_INSTALLATIONS) this.#found.clear()
      found = { at: now, topics: this.#read(installation) }
      this.#found.set(id, found)
    }
    return (await found.topics).get(topicWrite)
  }

  async #read({ id, client_id }: InstallationRef): Promise<ReadonlyMap<string, string>> {
    const topics = new Map<string, string>()
    const prefix = `${client_id}/`
    const within = (topic: string) =>
      topic.startsWith(prefix) ? topic.slice(prefix.length) : topic
    for await (const part of listModelx(this.#registry, {
      kind: 'function',
      installation_id: id
    })) {
      for (const { meta } of part) {
        if (!meta.includes('"topic_write"') || topics.size >= MAX_TOPICS) continue
        const { topic_read = '', topic_write = '' }: Record<string, string> = JSON.parse(meta)
        const [read, write] = [within(topic_read), within(topic_write)]
        if (write !== `set/${read}` && read.startsWith('obj/')) topics.set(write, read)
      }
    }
    return topics
  }
}
