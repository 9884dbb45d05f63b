import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  Menu as AriaMenu,
  MenuItem,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { buttonClass } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import * as styles from './menu.module.css'
import * as popoverStyles from './popover.module.css'

/** One entry of a menu; `separator` draws a line above it. */
export interface MenuEntry {
  readonly id: string
  readonly text: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  /** Whether it is the choice that holds now; the entry says so. */
  readonly isChosen?: boolean
  readonly separator?: boolean
  readonly onSelect: () => void
}

/** A button that opens a menu. @param button content of the button */
export function Menu({
  label,
  button,
  entries,
  className = buttonClass('ghost', 'iconOnly'),
}: {
  readonly label: string
  readonly button: ReactNode
  readonly entries: readonly MenuEntry[]
  readonly className?: string
}) {
  const { t } = useTranslation()
  return (
    <MenuTrigger>
      <AriaButton aria-label={label} className={className}>
        {button}
      </AriaButton>
      <Popover className={`${popoverStyles.popover}`} placement="bottom end">
        <AriaMenu
          className={`${styles.menu}`}
          aria-label={label}
          disabledKeys={entries.filter(({ isDisabled }) => isDisabled).map(({ id }) => id)}
        >
          {entries.flatMap((entry) => [
            ...(entry.separator ? [<Separator key={`above-${entry.id}`} />] : []),
            <MenuItem
              key={entry.id}
              id={entry.id}
              textValue={entry.text}
              className={entry.isDangerous ? `${styles.dangerous}` : ''}
              onAction={entry.onSelect}
            >
              {entry.icon && <Icon name={entry.icon} />}
              {entry.text}
              {entry.isChosen && (
                <span className="push">
                  <Icon name="check" small />
                  <span className="visuallyHidden">{t('chosen')}</span>
                </span>
              )}
            </MenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

/** The menu of a row: three dots. */
export function RowMenu({ label, entries }: { readonly label: string; readonly entries: readonly MenuEntry[] }) {
  return (
    <Menu
      label={label}
      button={<Icon name="dots" />}
      entries={entries}
      className={buttonClass('ghost', 'iconOnly', 'small')}
    />
  )
}
