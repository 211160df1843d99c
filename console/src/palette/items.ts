import type { Schemas } from '../../../tools/client/client.ts'
import type { InstallationPage } from '../frame/installation-pages.ts'
import type { PlatformPage } from '../frame/platform-pages.ts'
import type { Model } from '../modelx/api.ts'
import { nameOf } from '../modelx/rows.ts'
import type { Texts } from '../texts/texts.ts'
import { folded, score } from './match.ts'

export const groups = [
  'recent',
  'pages',
  'installations',
  'functions',
  'devices',
  'topics',
  'actions'
] as const
export type Group = (typeof groups)[number]

/** Something to go to, or to do. `words` are found as well, but not shown. */
export type Item = {
  id: string
  group: Group
  label: string
  hint: string
  words?: string
} & ({ href: string } | { run: () => void })

/** Addresses of the console. */
export type Ways = {
  page: (id: number, page: InstallationPage) => string
  live: (id: number, name: string) => string
  model: (id: number, view: 'devices' | undefined, model: number) => string
}

export const installationItems = (
  installations: readonly Schemas['InstallationInfo'][],
  ways: Ways
): Item[] =>
  installations.map(({ id, name, client_id }) => ({
    id: `installation ${id}`,
    group: 'installations',
    label: name,
    hint: '',
    words: `${id} ${client_id}`,
    href: ways.page(id, 'live')
  }))

type Here = { id: number; name: string }

export const pageItems = (
  { id, name }: Here,
  pages: readonly InstallationPage[],
  { installation: t }: Texts,
  ways: Ways
): Item[] =>
  pages.map((page) => ({
    id: `page ${id} ${page}`,
    group: 'pages',
    label: t[page],
    hint: name,
    href: ways.page(id, page)
  }))

export const platformItems = (pages: readonly PlatformPage[], texts: Texts): Item[] =>
  pages.map((page) => ({
    id: `page ${page}`,
    group: 'pages',
    label: texts[page].title,
    hint: texts.frame.manage,
    href: `/${page}`
  }))

export const modelItems = (
  { id, name }: Here,
  view: 'devices' | undefined,
  models: readonly Model[],
  ways: Ways
): Item[] =>
  models.map((model) => ({
    id: `${view ?? 'functions'} ${id} ${model.id}`,
    group: view ?? 'functions',
    label: nameOf(model),
    hint: [model.meta.room, name].filter(Boolean).join(' · '),
    words: [model.type, ...Object.values(model.meta)].join(' '),
    href: ways.model(id, view, model.id)
  }))

export const topicItems = ({ id, name }: Here, topics: readonly string[], ways: Ways): Item[] =>
  topics.map((topic) => {
    const short = topic.slice(topic.indexOf('/') + 1)
    return {
      id: `topic ${id} ${topic}`,
      group: 'topics',
      label: short,
      hint: name,
      href: ways.live(id, short)
    }
  })

/** What the platform found, also where the page has not looked yet. */
export function foundItems(
  found: readonly Schemas['SearchResult'][],
  installations: readonly Schemas['InstallationInfo'][],
  ways: Ways
): Item[] {
  const names = new Map(installations.map(({ id, name }) => [id, name]))
  return found.map(({ type, id, name, installationID, allMetadata, metaMatches }): Item => {
    if (type === 'installation') {
      const href = ways.page(id, 'live')
      return { id: `installation ${id}`, group: 'installations', label: name, hint: '', href }
    }
    const of = installationID ?? 0
    const view = type === 'device' ? 'devices' : undefined
    const matches = Object.entries(metaMatches ?? {}).filter(([key]) => key !== 'name')
    const [first] = matches.map(([key, value]) => `${key}: ${value}`)
    const hint = [allMetadata['room'], names.get(of), first].filter(Boolean).join(' · ')
    return {
      id: `${view ?? 'functions'} ${of} ${id}`,
      group: view ?? 'functions',
      label: name || `${type} ${id}`,
      hint,
      href: ways.model(of, view, id)
    }
  })
}

const PER_GROUP = 6

export type Shown = { group: Group; items: Item[] }

/** What is compared of an item. Long lists are made ready once, not with every letter. */
export type Ready = { item: Item; label: string; all: string }

export const ready = (items: readonly Item[]): Ready[] =>
  items.map((item) => {
    const all = folded(`${item.label} ${item.hint} ${item.words ?? ''}`)
    return { item, label: folded(item.label), all }
  })

/** The best of each group; the group with the best item comes first. */
export function ranked(query: string, own: readonly Ready[], found: readonly Item[]): Shown[] {
  const wanted = folded(query.trim())
  const points = new Map<Item, number>()
  for (const { item, label, all } of own) {
    const ofLabel = score(wanted, label, { isFuzzy: true })
    const ofAll = ofLabel ?? score(wanted, all)
    // What is only in the words behind the name is worth less.
    if (ofAll !== undefined) points.set(item, ofLabel ?? ofAll / 3)
  }
  const known = new Set([...points.keys()].map(({ id }) => id))
  for (const item of found) {
    if (!known.has(item.id)) points.set(item, (score(wanted, folded(item.label)) ?? 0.5) - 0.1)
  }
  const best = (a: Item, b: Item) =>
    (points.get(b) ?? 0) - (points.get(a) ?? 0) || a.label.localeCompare(b.label)
  const byGroup = Map.groupBy([...points.keys()], ({ group }) => group)
  return [...byGroup]
    .map(([group, items]) => ({ group, items: items.sort(best).slice(0, PER_GROUP) }))
    .sort((a, b) => {
      const [x, y] = [a.items[0], b.items[0]]
      return x && y ? (points.get(y) ?? 0) - (points.get(x) ?? 0) : 0
    })
}
