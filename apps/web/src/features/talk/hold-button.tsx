import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import type { Talk } from '../../lib/realtime/talk.ts'
import * as styles from './talk.module.css'

/**
 * Speaks while it is held by pointer, Space or Enter. A press without a hold, as screen readers and switches send it,
 * begins, and the next one ends.
 */
export function HoldButton({
  talk,
  isHeld,
  disabled,
}: {
  readonly talk: Talk
  readonly isHeld: boolean
  readonly disabled: boolean
}) {
  const { t } = useTranslation('talk')
  /** Whether the next click is the end of a hold. */
  const wasHeld = useRef(false)
  const hold = () => {
    wasHeld.current = true
    talk.hold()
  }
  const isPress = (key: string) => key === ' ' || key === 'Enter'
  return (
    <Button
      kind={isHeld ? 'danger' : 'primary'}
      icon="microphone"
      className={`${styles.hold}`}
      aria-pressed={isHeld}
      disabled={disabled}
      onPointerDown={({ button, currentTarget, pointerId }) => {
        if (button !== 0) return
        currentTarget.setPointerCapture(pointerId)
        hold()
      }}
      onPointerUp={() => talk.release()}
      onPointerCancel={() => talk.release()}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isPress(event.key)) return
        // a held key would press again and again
        event.preventDefault()
        if (!event.repeat) hold()
      }}
      onKeyUp={(event) => {
        if (!isPress(event.key)) return
        event.preventDefault()
        wasHeld.current = false
        talk.release()
      }}
      onBlur={() => wasHeld.current && talk.release()}
      onClick={() => {
        const wasHold = wasHeld.current
        wasHeld.current = false
        if (wasHold) return
        if (isHeld) talk.release()
        else talk.hold()
      }}
    >
      {isHeld ? t('hold.held') : t('hold.hold')}
    </Button>
  )
}
