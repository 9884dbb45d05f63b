import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { entryTextQuery } from './api.ts'
import * as styles from './collections.module.css'

/** Characters of a text that are shown. */
const SHOWN_TEXT = 100_000

/** Shows the text that was read from a document. */
export function EntryDialog({
  name,
  entry,
  onClose,
}: {
  readonly name: string
  readonly entry: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation('collections')
  const text = useQuery(entryTextQuery(name, entry))
  return (
    <Dialog title={entry} onClose={onClose} footer={<Button onClick={onClose}>{t('close')}</Button>}>
      <QueryView query={text} lines={6}>
        {(content) => (
          <div className={`stack ${styles.text}`}>
            {content.length > SHOWN_TEXT && <p className="meta">{t('cutText', { shown: formatNumber(SHOWN_TEXT) })}</p>}
            <CodeBlock title={t('text')} text={content.slice(0, SHOWN_TEXT)} />
          </div>
        )}
      </QueryView>
    </Dialog>
  )
}
