import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import * as styles from './json-tree.module.css'
import * as syntaxStyles from './syntax.module.css'
import * as textButtonStyles from './text-button.module.css'

/** Entries of a list or object, and characters of a text, that are drawn before the reader asks for more. */
const MORE = 100
const LONG_TEXT = 400

/** A value of JSON as a tree that opens and closes. Branches below `depth` begin closed. */
export function JsonTree({ value, depth = 2 }: { readonly value: unknown; readonly depth?: number }) {
  return (
    <div className={styles.tree}>
      <Node value={value} depth={depth} />
    </div>
  )
}

function Node({ name, value, depth }: { readonly name?: string; readonly value: unknown; readonly depth: number }) {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return <Branch value={value} depth={depth} {...(name === undefined ? {} : { name })} />
  return (
    <div className={styles.leaf}>
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : (
    <>
      <span className={syntaxStyles.name}>{name}</span>:{' '}
    </>
  )
}

function Branch({ name, value, depth }: { readonly name?: string; readonly value: object; readonly depth: number }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(MORE)
  const isList = Array.isArray(value)
  const entries = isOpen ? Object.entries(value) : []
  const count = Object.keys(value).length
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span className={syntaxStyles.comment}>
          {isList ? '[' : '{'} {isOpen ? '' : `… ${isList ? ']' : '}'} `}
          {t(isList ? 'json.items' : 'json.fields', { count })}
        </span>
      </summary>
      <div className={styles.branch}>
        {entries.slice(0, shown).map(([key, entry]) => (
          <Node key={key} value={entry} depth={depth - 1} {...(isList ? {} : { name: key })} />
        ))}
        {count > shown && isOpen && (
          <button type="button" className={textButtonStyles.textButton} onClick={() => setShown(shown + MORE)}>
            {t('json.more', { left: formatNumber(count - shown) })}
          </button>
        )}
      </div>
    </details>
  )
}

function Leaf({ value }: { readonly value: unknown }) {
  const { t } = useTranslation()
  const [isWhole, setWhole] = useState(false)
  if (typeof value === 'string') {
    const isCut = !isWhole && value.length > LONG_TEXT
    return (
      <>
        <span className={syntaxStyles.string}>{JSON.stringify(isCut ? value.slice(0, LONG_TEXT) : value)}</span>
        {isCut && (
          <button type="button" className={textButtonStyles.textButton} onClick={() => setWhole(true)}>
            {t('json.more', { left: formatNumber(value.length - LONG_TEXT) })}
          </button>
        )}
      </>
    )
  }
  if (typeof value === 'number') return <span className={syntaxStyles.number}>{String(value)}</span>
  if (typeof value === 'boolean' || value === null) return <span className={syntaxStyles.literal}>{String(value)}</span>
  return <span>{Array.isArray(value) ? '[]' : '{}'}</span>
}
