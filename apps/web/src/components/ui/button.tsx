import type { ComponentProps } from 'react'
import * as styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'

/** Variations of a button's usual look. */
export type ButtonLook = 'primary' | 'danger' | 'ghost' | 'small' | 'iconOnly'

const LOOKS: Readonly<Record<ButtonLook, string | undefined>> = {
  primary: styles.primary,
  danger: styles.danger,
  ghost: styles.ghost,
  small: styles.small,
  iconOnly: styles.iconOnly,
}

const SMALL = ['small'] as const

/** Returns the classes of a link, or of a part of a library, that looks like a button. */
export function buttonClass(...looks: readonly ButtonLook[]): string {
  return [styles.button, ...looks.map((look) => LOOKS[look])].join(' ')
}

interface Look {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'ghost'
  readonly small?: boolean
  readonly icon?: IconName
  /** Shows that the action runs; the button does nothing meanwhile. */
  readonly busy?: boolean
}

/** A button with text. A disabled one needs a visible reason beside it. */
export function Button({
  kind = 'plain',
  small = false,
  icon,
  busy = false,
  className = '',
  children,
  ...rest
}: Look & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className={`${buttonClass(...(kind === 'plain' ? [] : [kind]), ...(small ? SMALL : []))} ${className}`}
      aria-disabled={busy || undefined}
      {...rest}
      {...(busy ? { onClick: undefined, type: 'button' as const } : {})}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon && <Icon name={icon} small={small} />}
      {children}
    </button>
  )
}

/** A button that shows only a drawing; `label` names it. */
export function IconButton({
  label,
  icon,
  small = false,
  className = '',
  ...rest
}: { readonly label: string; readonly icon: IconName; readonly small?: boolean } & Omit<
  ComponentProps<'button'>,
  'aria-label'
>) {
  return (
    <button
      type="button"
      className={`${buttonClass('ghost', 'iconOnly', ...(small ? SMALL : []))} ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} small={small} />
    </button>
  )
}
