import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import type { ControlProps } from './control-props.ts'

const toTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** The stars and the last characters of a mask. The part from `#` on only shows the server which secret is meant. */
const shorten = (mask: string) => mask.replace(/#[0-9a-f]{8}$/, '')

/** A secret that can be replaced but never read. */
export function SecretControl({ id, name, value, draft, isLocked, onChange }: ControlProps) {
  const { t } = useTranslation('settings')
  const mask = typeof value === 'string' ? value : ''
  if (draft === undefined)
    return (
      <div className="row wrap">
        <span className="monospace">{mask === '' ? t('secret.none') : shorten(mask)}</span>
        <Button
          id={id}
          small
          disabled={isLocked}
          aria-label={t('secret.replaceNamed', { name })}
          onClick={() => onChange({ value: '' })}
        >
          {mask === '' ? t('secret.set') : t('secret.replace')}
        </Button>
      </div>
    )
  return (
    <div className="row">
      <input
        id={id}
        type="password"
        className={fieldStyles.input}
        autoComplete="off"
        aria-describedby={`${id}-about`}
        value={typeof draft.value === 'string' ? draft.value : ''}
        onChange={({ target }) => onChange({ value: target.value })}
      />
      <Button small onClick={() => onChange(undefined)}>
        {t('keep')}
      </Button>
    </div>
  )
}

/** Secrets of which some can be removed and others added. */
export function SecretListControl({ id, value, draft, isLocked, onChange }: ControlProps) {
  const { t } = useTranslation('settings')
  const [text, setText] = useState('')
  const known = toTexts(value)
  const items = draft === undefined ? known : toTexts(draft.value)
  const add = () => {
    if (text.trim() === '') return
    onChange({ value: [...items, text.trim()] })
    setText('')
  }
  return (
    <div className="stack tight">
      {items.map((item) => (
        <div key={item} className="row">
          <span className="monospace clip">{known.includes(item) ? shorten(item) : t('secret.new')}</span>
          <IconButton
            small
            icon="x"
            label={t('secret.remove', { end: shorten(item).slice(-4) })}
            disabled={isLocked}
            onClick={() => onChange({ value: items.filter((each) => each !== item) })}
          />
        </div>
      ))}
      {items.length === 0 && <span className="faint">{t('secret.none')}</span>}
      <div className="row">
        <input
          id={id}
          type="password"
          className={fieldStyles.input}
          autoComplete="off"
          placeholder={t('secret.add')}
          aria-describedby={`${id}-about`}
          disabled={isLocked}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && add()}
        />
        <Button small disabled={isLocked || text.trim() === ''} onClick={add}>
          {t('secret.addAction')}
        </Button>
      </div>
    </div>
  )
}
