import { lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import type { ModelFile } from './api.ts'
import type { MergeHandle } from './code-mirror.ts'

const ChangeView = lazy(async () => ({ default: (await import('./change-view.tsx')).ChangeView }))
const MergeArea = lazy(async () => ({ default: (await import('./change-view.tsx')).MergeArea }))

/** Three versions of a file: the old one, somebody else's, and the viewer's own, which takes parts of the other one. */
export function ConflictDialog({
  base,
  theirs,
  mine,
  isSaving,
  error,
  onTakeTheirs,
  onSave,
  onClose,
}: {
  readonly base: ModelFile | undefined
  readonly theirs: ModelFile
  readonly mine: string
  readonly isSaving: boolean
  readonly error: Error | undefined
  readonly onTakeTheirs: () => void
  readonly onSave: (merged: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('model-editor')
  const [shown, setShown] = useState<'merge' | 'theirs' | 'mine'>('merge')
  const [merged, setMerged] = useState(mine)
  const merge = useRef<MergeHandle>(null)
  const readMerged = () => merge.current?.readText() ?? merged
  const before = base?.text ?? ''
  return (
    <Dialog
      title={t('conflictTitle')}
      isDismissable={false}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button onClick={onTakeTheirs}>{t('takeTheirs')}</Button>
          <Button kind="primary" busy={isSaving} onClick={() => onSave(readMerged())}>
            {t('saveMine')}
          </Button>
        </>
      }
    >
      <p>{t('conflictAbout')}</p>
      <Segmented
        label={t('versions')}
        small
        value={shown}
        options={[
          ['merge', t('versionMerge')],
          ['theirs', t('versionTheirs')],
          ['mine', t('versionMine')],
        ]}
        onChange={(next) => {
          setMerged(readMerged())
          setShown(next)
        }}
      />
      <Suspense fallback={<Skeleton lines={8} height={20} />}>
        {shown === 'merge' && (
          <MergeArea
            theirs={theirs.text}
            mine={merged}
            labels={{ theirs: t('theirText'), mine: t('myText') }}
            handle={merge}
          />
        )}
        {shown === 'theirs' && <ChangeView before={before} after={theirs.text} label={t('versionTheirs')} />}
        {shown === 'mine' && <ChangeView before={before} after={merged} label={t('versionMine')} />}
      </Suspense>
      {error && <ErrorBlock title={t('notSaved')} error={error} />}
    </Dialog>
  )
}
