import { useTranslation } from 'react-i18next'
import { TextArea, TextField } from '../../components/ui/field.tsx'

interface Prompts {
  readonly prompt: string
  readonly negative: string
}

/** What a picture or a film shows, and what it must not show. */
export function PromptFields({
  fields,
  onChange,
}: {
  readonly fields: Prompts
  readonly onChange: (changed: Partial<Prompts>) => void
}) {
  const { t } = useTranslation('playground')
  return (
    <>
      <TextArea
        label={t('images.prompt')}
        rows={3}
        value={fields.prompt}
        onChange={({ target }) => onChange({ prompt: target.value })}
      />
      <TextField
        label={t('images.negative')}
        value={fields.negative}
        onChange={({ target }) => onChange({ negative: target.value })}
      />
    </>
  )
}
