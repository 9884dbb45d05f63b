import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'

/** A setting as the server describes it. */
interface DescribedSetting {
  readonly key: string
  readonly about: string
}

/** The name of a setting for people, and its description. */
export interface SettingTexts {
  readonly label: string
  readonly about: string
}

/** The texts of settings in the reader's language. A setting that the catalogue does not know has the server's words. */
export function useSettingTexts(): (setting: DescribedSetting) => SettingTexts {
  const { t } = useTranslation('setting-keys')
  return useCallback(
    ({ key, about }) => ({
      label: t(`${key}.label`, { defaultValue: humanize(key) }),
      about: t(`${key}.about`, { defaultValue: about }),
    }),
    [t],
  )
}

/** The heading of a section. @param id such as `memory-and-eviction` */
export function useSectionHeading(): (id: string, heading: string) => string {
  const { t } = useTranslation('setting-keys')
  return useCallback((id, heading) => t(`sections.${id}`, { defaultValue: heading }), [t])
}

/** The address part of a section: its heading in small letters, `memory-and-eviction`. */
export function toSectionId(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A key in words: `max_active_backends` becomes `Max active backends`. */
function humanize(key: string): string {
  const words = key.replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
