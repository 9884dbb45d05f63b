import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import type { MediaSource } from './api.ts'
import * as styles from './tasks.module.css'

const TYPES = ['image', 'audio', 'video', 'file'] as const
const MOST = 20

/** Addresses of pictures, sounds and files that each job fetches for its model. */
export function SourceFields({
  sources,
  onChange,
}: {
  readonly sources: readonly MediaSource[]
  readonly onChange: (sources: readonly MediaSource[]) => void
}) {
  const { t } = useTranslation('tasks')
  const change = (index: number, changes: Partial<MediaSource>) =>
    onChange(sources.map((source, place) => (place === index ? { ...source, ...changes } : source)))
  return (
    <fieldset className={styles.part}>
      <legend>{t('media')}</legend>
      <p className={`muted ${styles.wide}`}>{t('mediaAbout')}</p>
      {sources.map(({ type, url }, index) => (
        <div key={index} className={`${styles.source} ${styles.wide}`}>
          <SelectField
            label={t('mediaType')}
            options={TYPES.map((name) => [name, t(`mediaTypeName.${name}`)] as const)}
            value={type}
            onChange={({ target }) => change(index, { type: TYPES.find((name) => name === target.value) ?? 'file' })}
          />
          <TextField
            label={t('mediaUrl')}
            type="url"
            required
            pattern="https?://.+"
            value={url}
            onChange={({ target }) => change(index, { url: target.value })}
          />
          <IconButton
            icon="trash"
            label={t('mediaRemove', { number: index + 1 })}
            onClick={() => onChange(sources.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      <div className={styles.wide}>
        <Button
          small
          icon="plus"
          disabled={sources.length >= MOST}
          onClick={() => onChange([...sources, { type: 'image', url: '' }])}
        >
          {t('mediaAdd')}
        </Button>
      </div>
    </fieldset>
  )
}
