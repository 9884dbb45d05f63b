import { useTranslation } from 'react-i18next'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Icon } from '../../components/ui/icon.tsx'
import { useObservable } from '../../lib/chat/observable.ts'
import { useChatEntries, useChatStore } from '../../lib/chat/use-chats.ts'
import { formatBytes } from '../../lib/format.ts'
import * as styles from './chat.module.css'

/** Says that the chats are kept here and how large they are, or that they cannot be kept. */
export function StorageLine() {
  const { t } = useTranslation('chat')
  const { kind, message } = useObservable(useChatStore().storage)
  const bytes = useChatEntries()?.reduce((sum, entry) => sum + entry.bytes, 0) ?? 0
  return (
    <div role="status" className={styles.storage}>
      {kind === 'ok' ? (
        <p className="meta">
          <Icon name="lock" small />
          {t('storage.kept', { size: formatBytes(bytes) })}
        </p>
      ) : (
        <p className={`${fieldStyles.hint} ${fieldStyles.error}`}>
          <Icon name="warn" small />
          {t(`storage.${kind}`, { size: formatBytes(bytes), message })}
        </p>
      )}
    </div>
  )
}
