import i18next, { type BackendModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Texts } from './further-texts.ts'
import common from './locales/en/common.json'

/** Languages in the order of the menu, by their own names. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  'pt-BR': 'Português (Brasil)',
  'zh-CN': '简体中文',
  ja: '日本語',
} as const

export type Language = keyof typeof LANGUAGES

const STORED = 'svc-language'
/** Texts of the first pages. The list of all others loads with the first of them. */
const first = import.meta.glob<Texts>('./locales/*/{chat,common,home,operations,sign-in}.json', { import: 'default' })

/** Loads one namespace of a language. A language that lacks it falls back to English. */
const backend: BackendModule = {
  type: 'backend',
  init() {},
  read(language, namespace, callback) {
    void readTexts(`./locales/${language}/${namespace}.json`).then(
      (texts) => callback(null, texts),
      (error: Error) => callback(error, null),
    )
  },
}

async function readTexts(file: string): Promise<Texts> {
  const load = first[file] ?? (await import('./further-texts.ts')).further[file]
  return load === undefined ? {} : load()
}

const isLanguage = (name: string): name is Language => name in LANGUAGES

/** The language that was chosen, else the first of the browser's that the interface has. */
function readLanguage(): Language {
  const stored = localStorage.getItem(STORED)
  if (stored !== null && isLanguage(stored)) return stored
  for (const wanted of navigator.languages) {
    if (isLanguage(wanted)) return wanted
    const same = Object.keys(LANGUAGES).find((name) => name.split('-')[0] === wanted.split('-')[0])
    if (same !== undefined && isLanguage(same)) return same
  }
  return 'en'
}

/** Starts the translations; `common` is there when it resolves, other namespaces load with their pages. */
export async function startTranslations(): Promise<void> {
  const language = readLanguage()
  document.documentElement.lang = language
  await i18next
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: language,
      fallbackLng: 'en',
      supportedLngs: Object.keys(LANGUAGES),
      ns: ['common'],
      defaultNS: 'common',
      fallbackNS: 'common',
      resources: { en: { common } },
      partialBundledLanguages: true,
      // React escapes
      interpolation: { escapeValue: false },
      react: { useSuspense: true },
    })
}

/** Switches the language and keeps the choice in this browser. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language)
  document.documentElement.lang = language
  await i18next.changeLanguage(language)
}
