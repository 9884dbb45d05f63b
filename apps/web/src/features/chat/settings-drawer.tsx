import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Switch, TextArea, TextField } from '../../components/ui/field.tsx'
import { chooseAnnouncements, readAnnouncements } from '../../lib/chat/announcements.ts'
import type { ChatSettings } from '../../lib/chat/types.ts'
import * as styles from './chat.module.css'
import { VoiceSettings } from './voice-settings.tsx'

/** A setting that is a number. Empty means that the model decides. */
interface NumberSetting {
  readonly key: 'temperature' | 'topP' | 'topK' | 'maxTokens' | 'frequencyPenalty' | 'presencePenalty' | 'seed'
  readonly min: number
  readonly max: number
  readonly step: number
  /** Whether answers in the background have it. */
  readonly isForBackground: boolean
}

const NUMBERS: readonly NumberSetting[] = [
  { key: 'temperature', min: 0, max: 2, step: 0.1, isForBackground: true },
  { key: 'maxTokens', min: 1, max: 1_000_000, step: 1, isForBackground: true },
  { key: 'topP', min: 0, max: 1, step: 0.05, isForBackground: true },
  { key: 'topK', min: 0, max: 1_000, step: 1, isForBackground: false },
  { key: 'frequencyPenalty', min: -2, max: 2, step: 0.1, isForBackground: true },
  { key: 'presencePenalty', min: -2, max: 2, step: 0.1, isForBackground: true },
  { key: 'seed', min: 0, max: 2_147_483_647, step: 1, isForBackground: false },
]

/** Settings of one chat. The drawer is inert while it is closed. */
export function SettingsDrawer({
  isOpen,
  settings,
  onChange,
  onClose,
}: {
  readonly isOpen: boolean
  readonly settings: ChatSettings
  readonly onChange: (settings: ChatSettings) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('chat')
  const [isAnnouncing, setAnnouncing] = useState(readAnnouncements)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const opener = document.activeElement
    panel.current?.querySelector('textarea')?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [isOpen])
  const announce = (enabled: boolean) => {
    chooseAnnouncements(enabled)
    setAnnouncing(enabled)
  }
  return (
    <aside
      ref={panel}
      className={styles.drawer}
      aria-label={t('settings.title')}
      inert={!isOpen}
      data-open={isOpen}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <header className="row">
        <h3>{t('settings.title')}</h3>
        <IconButton className="push" small icon="x" label={t('common:close')} onClick={onClose} />
      </header>
      <TextArea
        label={t('settings.systemPrompt')}
        rows={5}
        value={settings.systemPrompt}
        onChange={({ target }) => onChange({ ...settings, systemPrompt: target.value })}
      />
      <Switch
        label={t('settings.background')}
        checked={settings.isBackground}
        onChange={({ target }) => onChange({ ...settings, isBackground: target.checked })}
      />
      <p className={fieldStyles.hint}>{t('settings.backgroundAbout')}</p>
      {NUMBERS.map((setting) => (
        <NumberField
          key={setting.key}
          setting={setting}
          value={settings[setting.key]}
          isUnused={settings.isBackground && !setting.isForBackground}
          onChange={(value) => onChange({ ...settings, [setting.key]: value })}
        />
      ))}
      <TextField
        label={t('settings.stop')}
        hint={settings.isBackground ? t('settings.notInBackground') : t('settings.stopAbout')}
        disabled={settings.isBackground}
        defaultValue={settings.stop.join(', ')}
        onBlur={({ target }) => onChange({ ...settings, stop: readStops(target.value) })}
      />
      <Switch
        label={t('settings.announce')}
        checked={isAnnouncing}
        onChange={({ target }) => announce(target.checked)}
      />
      <VoiceSettings />
    </aside>
  )
}

function NumberField({
  setting,
  value,
  isUnused,
  onChange,
}: {
  readonly setting: NumberSetting
  readonly value: number | undefined
  readonly isUnused: boolean
  readonly onChange: (value: number | undefined) => void
}) {
  const { t } = useTranslation('chat')
  const { key, min, max, step } = setting
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const read = readNumber(text, setting)
  const change = (typed: string) => {
    setText(typed)
    const next = readNumber(typed, setting)
    if (next !== 'wrong') onChange(next)
  }
  return (
    <TextField
      label={t(`settings.${key}`)}
      type="number"
      inputMode="decimal"
      {...{ min, max, step }}
      placeholder={t('settings.ofModel')}
      disabled={isUnused}
      hint={isUnused ? t('settings.notInBackground') : undefined}
      value={text}
      error={read === 'wrong' ? t('settings.range', { min, max }) : undefined}
      onChange={({ target }) => change(target.value)}
    />
  )
}

/** The number in a field; undefined for an empty one, `wrong` outside of its range. */
export function readNumber(
  text: string,
  { min, max, step }: Pick<NumberSetting, 'min' | 'max' | 'step'>,
): number | undefined | 'wrong' {
  if (text.trim() === '') return undefined
  const value = Number(text)
  const isWhole = step !== 1 || Number.isInteger(value)
  return Number.isFinite(value) && value >= min && value <= max && isWhole ? value : 'wrong'
}

/** Texts that end an answer, between commas. */
export function readStops(text: string): readonly string[] {
  return text
    .split(',')
    .map((stop) => stop.trim())
    .filter((stop) => stop !== '')
    .slice(0, 4)
}
