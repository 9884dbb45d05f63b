import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import * as styles from './dialog.module.css'
import { TextField } from './field.tsx'
import * as popoverStyles from './popover.module.css'

/**
 * A dialog above the page. It keeps the focus and gives it back.
 *
 * @param isDismissable whether Esc and a click outside close it
 * @param isSheet whether it is at the lower edge of a narrow page
 */
export function Dialog({
  title,
  children,
  footer,
  onClose,
  isDismissable = true,
  isSheet = false,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly footer?: ReactNode
  readonly onClose: () => void
  readonly isDismissable?: boolean
  readonly isSheet?: boolean
}) {
  useEffect(() => keepFocus, [])
  return (
    <ModalOverlay
      isOpen
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      className={isSheet ? `${styles.overlay} ${styles.sheet}` : `${styles.overlay}`}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Modal className={`${popoverStyles.popover} ${styles.dialog}`}>
        <AriaDialog>
          <header>
            <Heading slot="title">{title}</Heading>
          </header>
          <div className={styles.body}>{children}</div>
          {footer && <footer>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Gives the focus to the heading of the page if the opener of the dialog is gone, such as a row or another dialog. */
function keepFocus(): void {
  // the library gives the focus back with the next frame
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus()
    }),
  )
}

/**
 * Asks before something that cannot be undone.
 *
 * @param typed a text that has to be typed first, such as the name of the thing
 */
export function ConfirmDialog({
  title,
  children,
  action,
  isDangerous = true,
  typed,
  busy = false,
  error,
  onConfirm,
  onClose,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  readonly isDangerous?: boolean
  readonly typed?: string | undefined
  readonly busy?: boolean
  readonly error?: ReactNode
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            busy={busy}
            disabled={typed !== undefined && text !== typed}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={t('typeToConfirm', { text: typed })}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {error}
    </Dialog>
  )
}
