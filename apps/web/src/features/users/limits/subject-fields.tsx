import { useTranslation } from 'react-i18next'
import { SelectField, Switch, TextField } from '../../../components/ui/field.tsx'
import { type FieldsProps, SUBJECTS } from './limit-form.ts'
import type { Subjects } from './use-subjects.ts'

/** Whom a new limit is for. */
export function SubjectFields({
  values,
  subjects,
  refusal,
  onChange,
}: FieldsProps & {
  readonly subjects: Subjects
}) {
  const { t } = useTranslation('limits')
  const choices = subjects.list(values.kind)
  return (
    <>
      <SelectField
        label={t('kind')}
        options={SUBJECTS.map((kind) => [kind, t(`subject.${kind}`)])}
        value={values.kind}
        onChange={({ target }) => {
          const kind = SUBJECTS.find((known) => known === target.value)
          if (kind !== undefined) onChange({ kind, subject: '', isEach: kind !== 'group_member' && values.isEach })
        }}
      />
      {values.kind !== 'group_member' && (
        <Switch
          label={t(`each.${values.kind}`)}
          checked={values.isEach}
          onChange={({ target }) => onChange({ isEach: target.checked })}
        />
      )}
      {!values.isEach &&
        (choices === undefined ? (
          <TextField
            label={t('who')}
            hint={t('whoEndUser')}
            error={refusal('subject_id')}
            required
            maxLength={200}
            autoComplete="off"
            value={values.subject}
            onChange={({ target }) => onChange({ subject: target.value })}
          />
        ) : (
          <SelectField
            label={t('who')}
            error={refusal('subject_id')}
            required
            options={[['', t('choose')], ...choices]}
            value={values.subject}
            onChange={({ target }) => onChange({ subject: target.value })}
          />
        ))}
    </>
  )
}
