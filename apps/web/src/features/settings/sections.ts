import { createMatcher } from '../../lib/match-words.ts'
import { type SettingTexts, toSectionId } from '../../lib/setting-texts.ts'
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

/** The sections in the order of the server, after the section for name and pictures. Picture files are not settings. */
export function splitSections(all: readonly Origin[]): readonly Section[] {
  // settings that are refused are not shown
  const origins = all.filter(({ locked_by }) => locked_by !== 'refused')
  const headings = [...new Set(origins.map(({ heading }) => heading))]
  return [
    { id: 'branding', heading: undefined, settings: origins.filter(({ key }) => BRANDING_KEYS.has(key)) },
    ...headings.map((heading) => ({
      id: toSectionId(heading),
      heading,
      settings: origins.filter(
        (origin) => origin.heading === heading && origin.locked_by !== 'branding' && !BRANDING_KEYS.has(origin.key),
      ),
    })),
  ].filter(({ settings }) => settings.length > 0)
}

/** The settings that have every word, section by section. @param describe the texts that the reader sees */
export function searchSections(
  sections: readonly Section[],
  text: string,
  describe: (origin: Origin) => SettingTexts = ({ key, about }) => ({ label: key, about }),
): readonly Section[] {
  const matches = createMatcher(text)
  const hasWords = (origin: Origin) => {
    const { key, about, flag, variables } = origin
    const shown = describe(origin)
    const names = [key, key.replaceAll('_', ' '), flag ?? '', ...variables]
    return matches([...names, about, shown.label, shown.about].join(' '))
  }
  return sections
    .map((section) => ({ ...section, settings: section.settings.filter(hasWords) }))
    .filter(({ settings }) => settings.length > 0)
}
