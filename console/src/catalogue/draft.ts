import type { Schemas } from '../../../tools/client/client.ts'
import type { EdgeApp } from '../app/types.ts'

export type AppBody = Schemas['NewEdgeApp']

export type AppDraft = {
  name: string
  /** The id of the organization. */
  publisher: string
  category: string
  /** With commas between them. */
  tags: string
  short_description: string
  description: string
  source_url: string
  public: boolean
  official: boolean
}

export const appDraftOf = (app: EdgeApp): AppDraft => ({
  ...{ name: app.name, publisher: String(app.publisher.id), category: app.category },
  ...{ tags: app.tags.join(', '), short_description: app.short_description },
  ...{ description: app.description, source_url: app.source_url },
  ...{ public: app.public, official: app.official }
})

export const emptyApp = (publisher: string): AppDraft => ({
  ...{ name: '', publisher, category: '', tags: '', short_description: '', description: '' },
  ...{ source_url: '', public: false, official: false }
})

export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean)
  )
]

/** Undefined: something is missing. */
export function appBody(draft: AppDraft): AppBody | undefined {
  const name = draft.name.trim()
  if (name === '' || draft.publisher === '') return undefined
  return { ...draft, name, publisher: { id: Number(draft.publisher) }, tags: tagsIn(draft.tags) }
}

/** Only such an address becomes a link. */
export const isWebAddress = (text: string): boolean => {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || url?.protocol === 'http:'
}
