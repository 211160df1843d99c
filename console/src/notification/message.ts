import type { Message } from './types.ts'

export type MessageDraft = { name: string; text: string }

export const messageDraftOf = ({ name, text }: Message): MessageDraft => ({ name, text })
export const emptyMessage: MessageDraft = { name: '', text: '' }

/** What a template can name, beside the payload. */
export const known = [
  'installation.Name',
  'installation.ID',
  'installation.ClientID',
  'organization.Name',
  'organization.Email',
  'organization.Phone',
  'organization.Notes',
  'organization.Address.Address',
  'organization.Address.City'
] as const

export const inserted = (name: string): string => `{{.${name}}}`

/** Puts a part into a text, in place of what is selected. */
export const withPart = (text: string, part: string, [from, to]: readonly [number, number]) =>
  text.slice(0, from) + part + text.slice(to)
