import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

const files = import.meta.glob<Record<string, unknown>>('./locales/en/*.json', { import: 'default', eager: true })

/** English texts of all pages, for tests of parts. */
export async function startTestTranslations(): Promise<void> {
  if (i18next.isInitialized) return
  const en = Object.fromEntries(
    Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
  )
  await i18next.use(initReactI18next).init({
    lng: 'en',
    defaultNS: 'common',
    resources: { en },
    interpolation: { escapeValue: false },
  })
}
