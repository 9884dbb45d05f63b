import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { FieldCatalogue } from './field-catalogue.ts'

/** The catalogue in the reader's language. A key or section that the texts do not know keeps the server's words. */
export function useTranslatedCatalogue(): (catalogue: FieldCatalogue) => FieldCatalogue {
  const { t } = useTranslation('model-keys')
  return useCallback(
    ({ sections, fields }) => ({
      sections: sections.map(({ id, label }) => ({ id, label: t(`section.${id}`, { defaultValue: label }) })),
      fields: fields.map((field) => {
        const key = toTextKey(field.path)
        return {
          ...field,
          label: t(`key.${key}.label`, { defaultValue: field.label }),
          description: t(`key.${key}.about`, { defaultValue: field.description }),
        }
      }),
    }),
    [t],
  )
}

/** The name that the texts have for a key: dots would part it. */
function toTextKey(path: string): string {
  return path.replaceAll('.', '-')
}
