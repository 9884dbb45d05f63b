import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../components/ui/button.tsx'
import { Dialog } from '../components/ui/dialog.tsx'
import * as fieldStyles from '../components/ui/field.module.css'
import { Checkbox } from '../components/ui/field.tsx'
import { Icon } from '../components/ui/icon.tsx'
import * as menuStyles from '../components/ui/menu.module.css'
import type { PaletteView } from '../lib/palette.ts'
import { chooseShortcutsEnabled, readShortcutsEnabled } from '../lib/preferences.ts'
import type { Command } from './find-commands.ts'
import { PAGES } from './pages.ts'
import { useCommands } from './palette-commands.ts'

/** The palette: pages and actions by a few letters, or the list of keys. */
export function Palette({ view, onClose }: { readonly view: PaletteView; readonly onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog
      title={view === 'keys' ? t('palette.keys') : t('palette.title')}
      footer={view === 'keys' && <Button onClick={onClose}>{t('close')}</Button>}
      onClose={onClose}
    >
      {view === 'keys' ? <KeyList /> : <CommandList onClose={onClose} />}
    </Dialog>
  )
}

function CommandList({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['common', 'setting-keys'])
  const list = useId()
  const [text, setText] = useState('')
  const [index, setIndex] = useState(0)
  const commands = useCommands(text)
  const active = commands[Math.min(index, commands.length - 1)]
  const run = (command: Command | undefined) => {
    onClose()
    command?.run()
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIndex((index + step + commands.length) % Math.max(1, commands.length))
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(active)
  }
  return (
    <>
      <input
        className={fieldStyles.input}
        role="combobox"
        // biome-ignore lint/a11y/noAutofocus: the palette opens to be typed into
        autoFocus
        aria-expanded
        aria-controls={list}
        aria-label={t('palette.title')}
        aria-activedescendant={active === undefined ? undefined : `${list}-${active.id}`}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        className={`${menuStyles.menu} ${menuStyles.palette}`}
        role="listbox"
        id={list}
        aria-label={t('palette.title')}
      >
        {commands.map((command) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act in the field above
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === active}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span className="grow clip">{command.text}</span>
            <span className="meta">{t(`palette.kind.${command.kind}`)}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p>{t('noMatch.title')}</p>}
    </>
  )
}

function KeyList() {
  const { t } = useTranslation()
  const [isOn, setOn] = useState(readShortcutsEnabled())
  const rows: readonly (readonly [string, string])[] = [
    ['Ctrl K', t('palette.open')],
    ['?', t('palette.keys')],
    ['/', t('palette.pageSearch')],
    ...PAGES.flatMap(({ id, key }) => (key === undefined ? [] : [[`g ${key}`, t(`nav.${id}`)] as const])),
    ['j k', t('palette.nextPrevious')],
    ['Enter Esc', t('palette.openClose')],
    ['Ctrl Enter', t('palette.run')],
    ['Ctrl Shift O', t('palette.newChat')],
  ]
  const choose = (enabled: boolean) => {
    chooseShortcutsEnabled(enabled)
    setOn(enabled)
  }
  return (
    <>
      <dl className="facts">
        {rows.map(([key, text]) => (
          <div key={key} className="factRow">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Checkbox label={t('palette.singleLetters')} checked={isOn} onChange={({ target }) => choose(target.checked)} />
    </>
  )
}
