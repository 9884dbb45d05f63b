import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { CodeBlock } from './code-block.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './notice.tsx'
import * as styles from './shown-once.module.css'

/** A secret that the server returns only once. The dialog closes only when the viewer confirms that it is kept. */
export function ShownOnceDialog({
  title,
  warning,
  blocks,
  onClose,
}: {
  readonly title: string
  /** Says what the user loses with the secret. */
  readonly warning: string
  /** The secret first, then commands that use it. */
  readonly blocks: readonly { readonly title: string; readonly text: string }[]
  readonly onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={title}
      isDismissable={false}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {t('storedIt')}
        </Button>
      }
    >
      <Notice tone="warn">{warning}</Notice>
      <div className={`stack ${styles.shownOnce}`}>
        {blocks.map((block) => (
          <CodeBlock key={block.title} title={block.title} text={block.text} />
        ))}
      </div>
    </Dialog>
  )
}
