import type { EdgeApp } from './types.ts'

/** The apps in which each word of the text occurs, by name. */
export function foundApps(apps: readonly EdgeApp[], text: string): EdgeApp[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return apps
    .filter(({ name, category, tags, short_description, publisher }) => {
      const all = [name, category, ...tags, short_description, publisher.name]
      const whole = all.join('\n').toLowerCase()
      return words.every((word) => whole.includes(word))
    })
    .sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id)
}
