import { Store, useStore } from '../store.ts'
import { type Texts as All, en } from './en.ts'
import { sv } from './sv.ts'

export const languages = { en, sv }
export type Language = keyof typeof languages

const KEY = 'caracal.language'

const isLanguage = (name: string): name is Language => name in languages

function chosen(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages]
  return wanted.map((name) => name.slice(0, 2)).find(isLanguage) ?? 'en'
}

const language = new Store(chosen())
document.documentElement.lang = language.value

export function choose(name: Language): void {
  localStorage.setItem(KEY, name)
  document.documentElement.lang = name
  language.set(name)
}

export const useLanguage = (): Language => useStore(language)
export const useTexts = (): All => languages[useLanguage()]
export type Texts = All

/** The language with the region of the browser, for numbers and dates. */
export function useLocale(): string {
  const language = useLanguage()
  return navigator.languages.find((name) => name.slice(0, 2) === language) ?? language
}
