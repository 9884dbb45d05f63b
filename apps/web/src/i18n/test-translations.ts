import i18next from 'i18next'
import { startTranslations } from './index.ts'

const files = Object.keys(import.meta.glob('./locales/en/*.json'))

/** Starts the translations as the interface does, with the texts of all pages, for tests of parts. */
export async function startTestTranslations(): Promise<void> {
  if (!i18next.isInitialized) await startTranslations()
  await i18next.loadNamespaces(files.map((path) => path.replace(/^.*\/|\.json$/g, '')))
}
