import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { ApiError } from '../../lib/api-error.ts'
import { systemQuery } from '../../lib/server-state.ts'
import { createFile, type ModelFile, readCurrentFile, replaceFile } from './api.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { parseModelText, readModelName } from './model-text.ts'
import type { Problem } from './problem.ts'

const ChangeView = lazy(async () => ({ default: (await import('./change-view.tsx')).ChangeView }))

/** Shows the changes and writes them. If somebody else has changed the file meanwhile, it shows both versions. */
export function SaveDialog({
  base,
  savedName,
  text,
  problems,
  onText,
  onClose,
  onSaved,
}: {
  readonly base: ModelFile | undefined
  readonly savedName: string | undefined
  readonly text: string
  readonly problems: readonly Problem[]
  readonly onText: (text: string) => void
  readonly onClose: () => void
  readonly onSaved: (name: string | undefined, file: ModelFile) => void
}) {
  const { t } = useTranslation('model-editor')
  const system = useQuery(systemQuery)
  const [theirs, setTheirs] = useState<ModelFile>()
  const save = useMutation({
    mutationFn: async ({ content, revision }: { readonly content: string; readonly revision: string | undefined }) => {
      if (savedName === undefined || revision === undefined) return createFile(content)
      try {
        return await replaceFile(savedName, content, revision)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error
        setTheirs(await readCurrentFile(savedName))
        return undefined
      }
    },
    onSuccess(written, { content }) {
      if (written === undefined) return
      const name = readModelName(parseModelText(content)) ?? savedName
      notify('success', t('saved', { name }))
      onSaved(name, { text: content, revision: written.revision })
    },
  })
  if (theirs !== undefined)
    return (
      <ConflictDialog
        {...{ base, theirs, mine: text, onClose }}
        isSaving={save.isPending}
        error={save.isError ? save.error : undefined}
        onTakeTheirs={() => onSaved(savedName, theirs)}
        onSave={(merged) => {
          onText(merged)
          save.mutate({ content: merged, revision: theirs.revision })
        }}
      />
    )
  const isLoaded = system.data?.loaded_models.some(({ id }) => id === savedName) === true
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return (
    <Dialog
      title={t(base === undefined ? 'saveNewTitle' : 'saveTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button
            kind="primary"
            busy={save.isPending}
            onClick={() => save.mutate({ content: text, revision: base?.revision })}
          >
            {t('common:save')}
          </Button>
        </>
      }
    >
      {errors > 0 && <Notice tone="warn">{t('saveWithErrors', { count: errors })}</Notice>}
      {isLoaded && <Notice>{t('isLoaded', { name: savedName })}</Notice>}
      <Suspense fallback={<Skeleton lines={6} height={20} />}>
        <ChangeView before={base?.text ?? ''} after={text} label={t('changes')} />
      </Suspense>
      {save.isError && <ErrorBlock title={t('notSaved')} error={save.error} />}
    </Dialog>
  )
}
