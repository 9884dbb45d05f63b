import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { EDITOR_FIELDS, EDITOR_SECTIONS } from '../../catalog/keys/list-fields.ts'
import { OPTIONS } from '../../config/schema.ts'
import { findPairedOption, findSetting, SETTING_KEYS } from '../../settings/schema.ts'
import { INSTRUCTIONS } from '../admin/discovery/instruction-texts.ts'

/** The interface shows settings, keys of model files and instructions in the reader's language, from these files. */
const LOCALES = fileURLToPath(new URL('../../../../web/src/i18n/locales', import.meta.url))

type Texts = { readonly [key: string]: Texts | string }

function read(language: string, namespace: string): Texts {
  return JSON.parse(readFileSync(`${LOCALES}/${language}/${namespace}.json`, 'utf8'))
}

function find(texts: Texts, ...path: string[]): string | undefined {
  const found = path.reduce<Texts | string | undefined>(
    (inner, key) => (typeof inner === 'object' ? inner[key] : undefined),
    texts,
  )
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}

/** The paragraphs, headings and lists of a page, which are translated. Blocks of code stay. */
function listTexts(markdown: string): string[] {
  return markdown
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

const listCodes = (text: string): string[] => (text.match(/`[^`]+`/g) ?? []).sort()

const shownSettings = SETTING_KEYS.filter((key) => {
  const { owner, refusal } = findSetting(key)
  return owner === undefined && refusal === undefined
})
const readAbout = (key: (typeof SETTING_KEYS)[number]): string =>
  findSetting(key).about ?? OPTIONS.find((option) => option.key === findPairedOption(key))?.about ?? ''
const toSectionId = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]+/g, '-')

describe.each(readdirSync(LOCALES))('the texts of the server in %s', (language) => {
  it('name and explain every setting that is shown', () => {
    const texts = read(language, 'setting-keys')
    for (const key of shownSettings) {
      expect([key, find(texts, key, 'label')]).toEqual([key, expect.any(String)])
      expect([key, find(texts, key, 'about')]).toEqual([key, expect.any(String)])
      const section = toSectionId(findSetting(key).heading)
      expect([section, find(texts, 'sections', section)]).toEqual([section, expect.any(String)])
    }
    const known = new Set<string>([...shownSettings, 'sections'])
    expect(Object.keys(texts).filter((key) => !known.has(key))).toEqual([])
  })

  it('name every key of model files, and explain those that the server explains', () => {
    const texts = read(language, 'model-keys')
    const ids = EDITOR_FIELDS.map(({ path }) => path.replaceAll('.', '-'))
    for (const { path, description } of EDITOR_FIELDS) {
      const id = path.replaceAll('.', '-')
      expect([path, find(texts, 'key', id, 'label')]).toEqual([path, expect.any(String)])
      expect([path, find(texts, 'key', id, 'about') !== undefined]).toEqual([path, description !== undefined])
    }
    for (const { id } of EDITOR_SECTIONS) expect([id, find(texts, 'section', id)]).toEqual([id, expect.any(String)])
    expect(Object.keys(Object(texts.key)).filter((key) => !ids.includes(key))).toEqual([])
  })

  it('have every page of the instructions, with its codes', () => {
    const texts = read(language, 'instructions')
    for (const { name, markdown } of INSTRUCTIONS) {
      for (const field of ['name', 'description'])
        expect([name, field, find(texts, name, field)]).toEqual([name, field, expect.any(String)])
      const parts = listTexts(markdown)
      const translated = parts.map((_, index) => find(texts, name, 'text', String(index)))
      expect([name, translated.map((text) => listCodes(text ?? ''))]).toEqual([name, parts.map(listCodes)])
      expect([name, translated.includes(undefined), find(texts, name, 'text', String(parts.length))]).toEqual([
        name,
        false,
        undefined,
      ])
    }
    expect(Object.keys(texts).sort()).toEqual(INSTRUCTIONS.map(({ name }) => name).sort())
  })
})

it('the English texts of the interface say what the server says', () => {
  const settings = read('en', 'setting-keys')
  const keys = read('en', 'model-keys')
  const instructions = read('en', 'instructions')
  expect(shownSettings.map((key) => find(settings, key, 'about'))).toEqual(shownSettings.map(readAbout))
  expect(EDITOR_FIELDS.map(({ path }) => find(keys, 'key', path.replaceAll('.', '-'), 'about'))).toEqual(
    EDITOR_FIELDS.map(({ description }) => description),
  )
  for (const { name, description, markdown } of INSTRUCTIONS) {
    expect(find(instructions, name, 'description')).toBe(description)
    expect(listTexts(markdown).map((_, index) => find(instructions, name, 'text', String(index)))).toEqual(
      listTexts(markdown),
    )
  }
})
