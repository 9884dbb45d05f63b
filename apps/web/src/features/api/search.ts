import { FORMATS, type Format, LANGUAGES, type Language } from './formats.ts'

/** Search parameters of the page about the API. */
export interface ApiSearch {
  readonly format?: Format
  readonly lang?: Language
  readonly model?: string
  /** The open page of the instructions. */
  readonly topic?: string
}

export function readApiSearch({ format, lang, model, topic }: Record<string, unknown>): ApiSearch {
  const [knownFormat, knownLanguage] = [
    FORMATS.find((each) => each === format),
    LANGUAGES.find((each) => each === lang),
  ]
  return {
    ...(knownFormat !== undefined && { format: knownFormat }),
    ...(knownLanguage !== undefined && { lang: knownLanguage }),
    ...(typeof model === 'string' && model !== '' && { model }),
    ...(typeof topic === 'string' && topic !== '' && { topic }),
  }
}
