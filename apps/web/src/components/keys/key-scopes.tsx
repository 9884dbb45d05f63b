import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCapabilities } from '../../lib/capabilities.ts'
import type { KeyScopes } from '../../lib/keys.ts'
import { modelNamesQuery } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import * as fieldStyles from '../ui/field.module.css'
import { Checkbox, Switch, TextArea } from '../ui/field.tsx'
import * as styles from './keys.module.css'
import { listRouteGroups } from './route-groups.ts'

/** Limits of a key. Without a limit it can do everything that its owner can. */
export function KeyScopeFields({
  scopes,
  onChange,
}: {
  readonly scopes: KeyScopes
  readonly onChange: (scopes: KeyScopes) => void
}) {
  const { t } = useTranslation('account')
  const { viewer } = useSession()
  const { routes, models: chosen, addresses } = scopes
  // what the key has stays in sight, also when this server or this viewer has it no more
  const groups = unite(listRouteGroups(useCapabilities(), viewer), routes)
  const models = unite(useQuery(modelNamesQuery).data ?? [], chosen)
  const change = (next: Partial<Record<keyof KeyScopes, string[] | undefined>>) => {
    const all = { ...scopes, ...next }
    onChange({
      ...(all.routes !== undefined && { routes: all.routes }),
      ...(all.models !== undefined && { models: all.models }),
      ...(all.addresses !== undefined && { addresses: all.addresses }),
    })
  }
  return (
    <>
      <Switch
        label={t('scopes.limitRoutes')}
        checked={routes !== undefined}
        onChange={({ target }) => change({ routes: target.checked ? [] : undefined })}
      />
      {routes !== undefined && (
        <Choices
          legend={t('scopes.routes')}
          options={groups.map((group) => [group, t(`scopes.group.${group}`, { defaultValue: group })] as const)}
          chosen={routes}
          onChange={(next) => change({ routes: next })}
        />
      )}
      <Switch
        label={t('scopes.limitModels')}
        checked={chosen !== undefined}
        onChange={({ target }) => change({ models: target.checked ? [] : undefined })}
      />
      {chosen !== undefined && (
        <Choices
          legend={t('scopes.models')}
          options={models.map((name) => [name, name] as const)}
          chosen={chosen}
          onChange={(next) => change({ models: next })}
        />
      )}
      <Switch
        label={t('scopes.limitAddresses')}
        checked={addresses !== undefined}
        onChange={({ target }) => change({ addresses: target.checked ? [] : undefined })}
      />
      {addresses !== undefined && <Addresses initial={addresses} onChange={(next) => change({ addresses: next })} />}
    </>
  )
}

const unite = (known: readonly string[], chosen: readonly string[] = []): readonly string[] => [
  ...new Set([...known, ...chosen]),
]

/** Addresses as they are typed, one in each line. */
function Addresses({
  initial,
  onChange,
}: {
  readonly initial: readonly string[]
  readonly onChange: (addresses: string[]) => void
}) {
  const { t } = useTranslation('account')
  const [text, setText] = useState(initial.join('\n'))
  return (
    <TextArea
      label={t('scopes.addresses')}
      hint={t('scopes.addressesHint')}
      rows={3}
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(target.value.split(/[\s,]+/).filter((part) => part !== ''))
      }}
    />
  )
}

function Choices({
  legend,
  options,
  chosen,
  onChange,
}: {
  readonly legend: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: string[]) => void
}) {
  return (
    <fieldset className={styles.keyChoices}>
      <legend className={fieldStyles.label}>{legend}</legend>
      {options.map(([value, text]) => (
        <Checkbox
          key={value}
          label={text}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
          }
        />
      ))}
    </fieldset>
  )
}
