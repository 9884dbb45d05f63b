import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, SelectField, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { modelNamesQuery } from '../../lib/server-state.ts'
import { type Rules, type RulesDraft, setRules } from './api.ts'
import * as styles from './nodes.module.css'
import { POLICIES, PREFIX_DEFAULTS, type RulesForm, toDraft, toForm, usesPrefixes } from './rules-form.ts'

const EXAMPLE = 'zone=a, tier=fast'

/** Sets the rules of a model. @param rules those that are changed; undefined for new ones */
export function RulesDialog({ rules, onClose }: { readonly rules: Rules | undefined; readonly onClose: () => void }) {
  const { t } = useTranslation('nodes')
  const id = useId()
  const [form, setForm] = useState(() => toForm(rules))
  const draft = toDraft(form)
  const saving = useMutation({
    mutationFn: (body: RulesDraft) => setRules(body),
    onSuccess(_, { model_name: model }) {
      onClose()
      notify('success', t('rules.saved', { model }))
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (draft !== undefined && !saving.isPending) saving.mutate(draft)
  }
  return (
    <Dialog
      title={rules === undefined ? t('rules.add') : t('rules.editTitle', { model: rules.model_name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={id} kind="primary" busy={saving.isPending}>
            {t('save')}
          </Button>
        </>
      }
    >
      <form id={id} className="stack" onSubmit={onSubmit}>
        {rules === undefined && <ModelField value={form.model} onChange={(model) => setForm({ ...form, model })} />}
        <Fields form={form} isSelectorWrong={draft === undefined} onChange={setForm} />
        {saving.isError && <ErrorBlock error={saving.error} />}
      </form>
    </Dialog>
  )
}

function ModelField({ value, onChange }: { readonly value: string; readonly onChange: (model: string) => void }) {
  const { t } = useTranslation('nodes')
  const list = useId()
  const names = useQuery(modelNamesQuery).data ?? []
  return (
    <>
      <TextField
        label={t('column.model')}
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        list={list}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

function Fields({
  form,
  isSelectorWrong,
  onChange,
}: {
  readonly form: RulesForm
  readonly isSelectorWrong: boolean
  readonly onChange: (form: RulesForm) => void
}) {
  const { t } = useTranslation('nodes')
  return (
    <>
      <TextField
        label={t('rules.selector')}
        hint={t('rules.selectorHint')}
        error={isSelectorWrong ? t('rules.selectorWrong') : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={EXAMPLE}
        value={form.selector}
        onChange={({ target }) => onChange({ ...form, selector: target.value })}
      />
      <Checkbox
        label={t('rules.spread')}
        checked={form.spreads}
        onChange={({ target }) => onChange({ ...form, spreads: target.checked })}
      />
      <div className={styles.pair}>
        <TextField
          type="number"
          min={0}
          max={10_000}
          label={t('rules.min')}
          disabled={form.spreads}
          value={form.spreads ? '' : form.min}
          onChange={({ target }) => onChange({ ...form, min: target.value })}
        />
        <TextField
          type="number"
          min={0}
          max={10_000}
          label={t('rules.max')}
          hint={t('rules.maxHint')}
          disabled={form.spreads}
          value={form.spreads ? '' : form.max}
          onChange={({ target }) => onChange({ ...form, max: target.value })}
        />
      </div>
      <SelectField
        label={t('rules.policy')}
        value={form.policy}
        options={POLICIES.map((policy) => [policy, t(`rules.policyName.${policy || 'default'}`)] as const)}
        onChange={({ target }) =>
          onChange({ ...form, policy: POLICIES.find((policy) => policy === target.value) ?? '' })
        }
      />
      {usesPrefixes(form) && <PrefixFields form={form} onChange={onChange} />}
    </>
  )
}

/** The fields of rules that only requests by the beginnings of prompts obey: the largest value and the step of each. */
const PREFIX_FIELDS = [
  ['balanceAbs', 10_000, 1],
  ['balanceRel', 1_000, 'any'],
  ['prefixMatch', 1, 'any'],
] as const

function PrefixFields({ form, onChange }: { readonly form: RulesForm; readonly onChange: (form: RulesForm) => void }) {
  const { t } = useTranslation('nodes')
  return PREFIX_FIELDS.map(([field, max, step]) => (
    <TextField
      key={field}
      type="number"
      min={0}
      max={max}
      step={step}
      label={t(`rules.${field}`)}
      hint={t('rules.prefixHint', { value: formatNumber(PREFIX_DEFAULTS[field], 1) })}
      value={form[field]}
      onChange={({ target }) => onChange({ ...form, [field]: target.value })}
    />
  ))
}
