import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toUrl } from '../../lib/base-path.ts'
import { type ApiKey, type KeyArea, useRevokeKey } from '../../lib/keys.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { ShownOnceDialog } from '../ui/shown-once.tsx'
import { ErrorBlock } from '../ui/states.tsx'
import { notify } from '../ui/toast.ts'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

/** A new key, or a key and what is to be done with it. */
export type Chosen = { readonly what: 'make' } | { readonly what: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }

/** The dialogs of a list of keys, and the value of a new or rotated key, which is shown once. */
export function KeyDialogs({
  area,
  chosen,
  onClose,
}: {
  readonly area: KeyArea
  readonly chosen: Chosen | undefined
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const [value, setValue] = useState<string>()
  const show = (made: string) => {
    onClose()
    setValue(made)
  }
  return (
    <>
      {chosen?.what === 'make' && <NewKeyDialog area={area} onMade={show} onClose={onClose} />}
      {value !== undefined && (
        <ShownOnceDialog
          title={t('keys.madeTitle')}
          warning={t('keys.madeWarning')}
          blocks={[
            { title: t('keys.value'), text: value },
            { title: t('keys.try'), text: `curl ${toUrl('v1/models')} \\\n  -H "Authorization: Bearer ${value}"` },
          ]}
          onClose={() => setValue(undefined)}
        />
      )}
      {chosen?.what === 'edit' && <EditKeyDialog area={area} edited={chosen.key} onClose={onClose} />}
      {chosen?.what === 'rotate' && (
        <RotateKeyDialog area={area} rotated={chosen.key} onRotated={show} onClose={onClose} />
      )}
      {chosen?.what === 'revoke' && <RevokeDialog area={area} doomed={chosen.key} onClose={onClose} />}
    </>
  )
}

function RevokeDialog({
  area,
  doomed,
  onClose,
}: {
  readonly area: KeyArea
  readonly doomed: ApiKey
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const revoke = useRevokeKey(area)
  const onConfirm = () =>
    revoke.mutate(doomed.id, {
      onSuccess: () => {
        onClose()
        notify('success', t('keys.revoked', { name: doomed.name }))
      },
    })
  return (
    <ConfirmDialog
      title={t('keys.revokeNamed', { name: doomed.name })}
      action={t('keys.revoke')}
      busy={revoke.isPending}
      error={revoke.isError && <ErrorBlock error={revoke.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t('keys.revokeAsk')}
    </ConfirmDialog>
  )
}
