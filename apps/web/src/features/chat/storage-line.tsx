import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { useChatEntries, useChatStore } from '../../lib/chat/use-chats.ts'
import { formatBytes } from '../../lib/format.ts'

/** Where the chats are and what they take; says so when they cannot be kept. */
export function StorageLine() {
  const { t } = useTranslation('chat')
  const { kind, message } = useObservable(useChatStore().storage)
  const bytes = useChatEntries()?.reduce((sum, entry) => sum + entry.bytes, 0) ?? 0
  return (
    <div role="status" className="keep">
      {kind === 'ok' ? (
        <p className="meta">
          <Icon name="lock" small />
          {t('storage.kept', { size: formatBytes(bytes) })}
        </p>
      ) : (
        <p className="hint err">
          <Icon name="warn" small />
          {t(`storage.${kind}`, { size: formatBytes(bytes), message })}
        </p>
      )}
    </div>
  )
}
