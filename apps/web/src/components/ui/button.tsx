import type { ComponentProps } from 'react'
import { Icon, type IconName } from './icon.tsx'

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
      className={`btn ${kind} ${small ? 'sm' : ''} ${className}`}
      aria-disabled={busy || undefined}
      {...rest}
      {...(busy ? { onClick: undefined, type: 'button' as const } : {})}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : icon && <Icon name={icon} small={small} />}
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
      className={`btn ghost icon ${small ? 'sm' : ''} ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} small={small} />
    </button>
  )
}
