import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { clearTraces } from './api.ts'
import type { TracesSearch } from './search.ts'

/** Forgets all traces of a kind, after a word was typed. */
export function ClearDialog({ kind, onClose }: { readonly kind: TracesSearch['kind']; readonly onClose: () => void }) {
  const { t } = useTranslation('traces')
  const clear = useMutation({ mutationFn: () => clearTraces(kind), onSuccess: onClose })
  return (
    <ConfirmDialog
      title={kind === 'backend' ? t('clear.titleCalls') : t('clear.titleRequests')}
      action={t('clear.action')}
      typed={t('clear.word')}
      busy={clear.isPending}
      error={clear.isError && <ErrorBlock error={clear.error} />}
      onConfirm={() => clear.mutate()}
      onClose={onClose}
    >
      <p>{kind === 'backend' ? t('clear.aboutCalls') : t('clear.aboutRequests')}</p>
    </ConfirmDialog>
  )
}
