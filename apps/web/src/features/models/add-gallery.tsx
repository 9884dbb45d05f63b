import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useConnection } from '../../lib/connection.ts'
import { addGallery, configuredGalleriesQuery } from './api.ts'
import { findGalleryFault, KNOWN_GALLERIES, suggestName } from './known-galleries.ts'
import * as styles from './models.module.css'

/** Opens the form that adds a gallery; absent where settings cannot be changed. */
export function AddGalleryButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  const { t } = useTranslation('models')
  const { runtime_settings: hasSettings } = useCapabilities()
  const isOffline = useConnection().state === 'offline'
  const [isOpen, setOpen] = useState(false)
  if (!hasSettings) return null
  return (
    <>
      <Button kind={isPrimary ? 'primary' : 'plain'} icon="plus" disabled={isOffline} onClick={() => setOpen(true)}>
        {t('addGallery.open')}
      </Button>
      {isOpen && <AddGalleryDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function AddGalleryDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const form = useId()
  const present = useQuery(configuredGalleriesQuery).data
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const gallery = { url: url.trim(), name: name.trim() === '' ? suggestName(url.trim()) : name.trim() }
  const fault = findGalleryFault(gallery, present ?? [])
  const add = useMutation({
    mutationFn: () => addGallery(gallery),
    onSuccess: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (fault === undefined) add.mutate()
  }
  const known = KNOWN_GALLERIES.filter((one) => !present?.some((other) => other.url === one.url))
  return (
    <Dialog
      title={t('addGallery.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            kind="primary"
            type="submit"
            form={form}
            busy={add.isPending}
            disabled={present === undefined || fault !== undefined}
          >
            {t('addGallery.action')}
          </Button>
        </>
      }
    >
      <p>{t('addGallery.about')}</p>
      {known.length > 0 && (
        <fieldset className={`stack tight ${styles.knownGalleries}`}>
          <legend className={fieldStyles.label}>{t('addGallery.known')}</legend>
          {known.map((one) => (
            <button
              key={one.url}
              type="button"
              className="card"
              aria-pressed={url === one.url}
              onClick={() => {
                setUrl(one.url)
                setName(one.name)
              }}
            >
              <b>{t(`addGallery.knownName.${one.name}`)}</b>
              <span className={`meta ${styles.breakable}`}>{one.url}</span>
            </button>
          ))}
        </fieldset>
      )}
      <form id={form} className="stack" onSubmit={submit}>
        <TextField
          label={t('addGallery.url')}
          hint={t('addGallery.urlHint')}
          required
          autoComplete="off"
          spellCheck={false}
          value={url}
          error={url !== '' && (fault === 'url' || fault === 'known') ? t(`addGallery.fault.${fault}`) : undefined}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextField
          label={t('addGallery.name')}
          hint={t('addGallery.nameHint')}
          autoComplete="off"
          placeholder={suggestName(url.trim())}
          value={name}
          error={url !== '' && (fault === 'name' || fault === 'taken') ? t(`addGallery.fault.${fault}`) : undefined}
          onChange={({ target }) => setName(target.value)}
        />
      </form>
      {add.isError && <ErrorBlock error={add.error} />}
    </Dialog>
  )
}
