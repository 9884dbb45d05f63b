import type { Origin } from './api.ts'

/** A group of settings with an address of its own. */
export interface Section {
  /** Part of the address, such as `memory-and-eviction`. */
  readonly id: string
  /** The heading as the server names it; undefined for the look of the server, which has its own text. */
  readonly heading: string | undefined
  readonly settings: readonly Origin[]
}

const BRANDING_KEYS: ReadonlySet<string> = new Set(['instance_name', 'instance_tagline'])

function toId(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** The sections in the order of the server, after the one for name and pictures. Files of pictures are no settings here. */
export function splitSections(origins: readonly Origin[]): readonly Section[] {
  const headings = [...new Set(origins.map(({ heading }) => heading))]
  return [
    { id: 'branding', heading: undefined, settings: origins.filter(({ key }) => BRANDING_KEYS.has(key)) },
    ...headings.map((heading) => ({
      id: toId(heading),
      heading,
      settings: origins.filter(
        (origin) => origin.heading === heading && origin.locked_by !== 'branding' && !BRANDING_KEYS.has(origin.key),
      ),
    })),
  ].filter(({ settings }) => settings.length > 0)
}

/** The settings that have every word, section by section. */
export function searchSections(sections: readonly Section[], text: string): readonly Section[] {
  const words = text.toLowerCase().split(/\s+/)
  const hasWords = ({ key, about, flag, variables }: Origin) => {
    const all = [key, key.replaceAll('_', ' '), about, flag ?? '', ...variables].join(' ').toLowerCase()
    return words.every((word) => all.includes(word))
  }
  return sections
    .map((section) => ({ ...section, settings: section.settings.filter(hasWords) }))
    .filter(({ settings }) => settings.length > 0)
}
