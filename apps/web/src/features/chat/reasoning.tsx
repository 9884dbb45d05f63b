import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import type { Message } from '../../lib/chat/types.ts'
import { formatDuration } from '../../lib/format.ts'
import * as styles from './chat.module.css'

/** The model's thoughts, folded to one line; it grows while the model thinks. */
export function Reasoning({ message, isLive }: { readonly message: Message; readonly isLive: boolean }) {
  const { t } = useTranslation('chat')
  const { reasoning, reasoningMs } = message
  const [isOpen, setOpen] = useState(false)
  if (reasoning === '') return null
  const isThinking = isLive && reasoningMs === undefined
  const lastLine = reasoning.trimEnd().split('\n').at(-1) ?? ''
  return (
    <details className={styles.reasoning} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="chevron-right" small />
        <span>
          {isThinking
            ? t('thinking.now')
            : reasoningMs === undefined
              ? t('thinking.past')
              : t('thinking.pastFor', { duration: formatDuration(reasoningMs) })}
        </span>
        {isThinking && !isOpen && <span className={`meta clip ${styles.liveThought}`}>{lastLine}</span>}
      </summary>
      {isOpen && (
        <div className={styles.thoughts}>
          <Markdown text={reasoning} isGrowing={isThinking} />
        </div>
      )}
    </details>
  )
}
