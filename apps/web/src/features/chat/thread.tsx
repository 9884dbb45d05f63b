import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { listPath } from '../../lib/chat/tree.ts'
import type { Chat } from '../../lib/chat/types.ts'
import * as styles from './chat.module.css'
import { AnswerView, Question } from './message-view.tsx'

/** Messages that are drawn at first; a long chat opens at its end. */
const SHOWN = 40
/** A reader this near to the end follows the growing text, in pixels. */
const NEAR_END = 80

/** The messages of the visible version of a chat. */
export function Thread({ chat, isRunning }: { readonly chat: Chat; readonly isRunning: boolean }) {
  const { t } = useTranslation('chat')
  const { entry, messages } = chat
  const path = useMemo(() => listPath(messages, entry.leafId), [messages, entry.leafId])
  const [shown, setShown] = useState(SHOWN)
  const box = useRef<HTMLDivElement>(null)
  const { isAtEnd, goToEnd } = useFollow(box, path.length)
  const first = Math.max(0, path.length - shown)
  return (
    <>
      <ScrollRegion as="div" className={styles.thread} role="log" aria-live="off" aria-label={t('messages')} ref={box}>
        <div className={styles.column}>
          {first > 0 && (
            <Button small onClick={() => setShown(shown + SHOWN)}>
              {t('earlier', { count: Math.min(SHOWN, first) })}
            </Button>
          )}
          {path
            .slice(first)
            .map((message, index, { length }) =>
              message.role === 'user' ? (
                <Question key={message.id} message={message} chat={chat} isBusy={isRunning} />
              ) : (
                <AnswerView
                  key={message.id}
                  message={message}
                  chat={chat}
                  isBusy={isRunning}
                  isLive={isRunning && index === length - 1}
                />
              ),
            )}
        </div>
      </ScrollRegion>
      <div className="visuallyHidden" role="log" aria-live="polite" data-chat-rest />
      {!isAtEnd && (
        <div className={styles.toEnd}>
          <Button small icon="chevron-down" onClick={goToEnd}>
            {t('toEnd')}
          </Button>
        </div>
      )}
    </>
  )
}

/** Keeps the end in view while text comes, until the reader scrolls up. */
function useFollow(box: React.RefObject<HTMLDivElement | null>, length: number) {
  const [isAtEnd, setAtEnd] = useState(true)
  const isFollowing = useRef(true)
  const goToEnd = () => {
    const element = box.current
    if (element !== null) element.scrollTop = element.scrollHeight
  }
  // a new message brings the reader to the end
  useLayoutEffect(() => {
    isFollowing.current = true
    goToEnd()
  }, [length])
  useEffect(() => {
    const element = box.current
    const content = element?.firstElementChild
    if (element === null || content === null || content === undefined) return undefined
    const onScroll = () => {
      isFollowing.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END
      setAtEnd(isFollowing.current)
    }
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight
      else setAtEnd(false)
    })
    observer.observe(content)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [box])
  return { isAtEnd, goToEnd }
}
