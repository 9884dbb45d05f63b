import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog } from '../../../components/ui/dialog.tsx'
import { SelectField, Switch, TextField } from '../../../components/ui/field.tsx'
import { ErrorBlock } from '../../../components/ui/states.tsx'
import { type Limit, saveLimit } from '../../../lib/limits.ts'
import { MeasureFields, WindowFields } from './limit-fields.tsx'
import { type FieldsProps, type FormField, findField, readMoney, toDraft, toValues } from './limit-form.ts'
import { SubjectFields } from './subject-fields.tsx'
import type { Subjects } from './use-subjects.ts'

/** Adds a limit, or changes one: its subject stays. */
export function LimitDialog({
  limit,
  subjects,
  onClose,
}: {
  readonly limit: Limit | undefined
  readonly subjects: Subjects
  readonly onClose: () => void
}) {
  const { t } = useTranslation('limits')
  const form = useId()
  const [values, setValues] = useState(() => toValues(limit))
  const [isMoneyWrong, setMoneyWrong] = useState(false)
  const save = useMutation({
    mutationFn: () => saveLimit(toDraft(values), limit?.id),
    onSuccess: onClose,
  })
  const refused = save.isError ? findField(save.error.message) : undefined
  const refusal = (field: FormField) => {
    if (field === 'max_cost_micros' && isMoneyWrong) return t('moneyWrong')
    return field === refused ? save.error?.message : undefined
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const isWrong = values.money.trim() !== '' && readMoney(values.money) === undefined
    setMoneyWrong(isWrong)
    if (!isWrong) save.mutate()
  }
  const fields: FieldsProps = { values, refusal, onChange: (next) => setValues({ ...values, ...next }) }
  return (
    <Dialog
      title={t(limit === undefined ? 'add' : 'editTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={save.isPending}>
            {t('save')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        {limit === undefined ? (
          <SubjectFields {...fields} subjects={subjects} />
        ) : (
          <p>{t('forWhom', { kind: t(`subject.${limit.subject_kind}`), name: subjects.say(limit) })}</p>
        )}
        {values.kind !== 'model' && (
          <SelectField
            label={t('model')}
            error={refusal('model')}
            options={[
              ['', t('allModels')],
              ...[...new Set([...(subjects.list('model') ?? []).map(([id]) => id), values.model])]
                .filter(Boolean)
                .map((name) => [name, name] as const),
            ]}
            value={values.model}
            onChange={({ target }) => fields.onChange({ model: target.value })}
          />
        )}
        <MeasureFields {...fields} />
        <WindowFields {...fields} />
        <Switch
          label={t('soft')}
          checked={values.isSoft}
          onChange={({ target }) => fields.onChange({ isSoft: target.checked })}
        />
        <Switch
          label={t('enabled')}
          checked={values.isEnabled}
          onChange={({ target }) => fields.onChange({ isEnabled: target.checked })}
        />
        <TextField
          label={t('note')}
          error={refusal('note')}
          maxLength={500}
          autoComplete="off"
          value={values.note}
          onChange={({ target }) => fields.onChange({ note: target.value })}
        />
        {save.isError && refused === undefined && <ErrorBlock error={save.error} />}
      </form>
    </Dialog>
  )
}
