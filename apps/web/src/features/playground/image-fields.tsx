import { useTranslation } from 'react-i18next'
import { SelectField } from '../../components/ui/field.tsx'
import { SIZES, WISH_RANGES, type WishFields } from './image-wish.ts'
import { NumberField } from './number-field.tsx'
import * as styles from './playground.module.css'
import { PromptFields } from './prompt-fields.tsx'

/** What images show, their size and number, and how they are drawn. */
export function ImageFields({
  fields,
  onChange,
  isEdit,
}: {
  readonly fields: WishFields
  readonly onChange: (fields: WishFields) => void
  readonly isEdit: boolean
}) {
  const { t } = useTranslation('playground')
  const change = (changed: Partial<WishFields>) => onChange({ ...fields, ...changed })
  const number = (name: keyof typeof WISH_RANGES, placeholder: string) => (
    <NumberField
      label={t(`images.${name}`)}
      text={fields[name]}
      range={WISH_RANGES[name]}
      placeholder={placeholder}
      onChange={(text) => change({ [name]: text })}
    />
  )
  return (
    <>
      <PromptFields fields={fields} onChange={change} />
      <div className={styles.fields}>
        <SelectField
          label={t('images.size')}
          value={fields.size}
          options={[
            ['', isEdit ? t('images.sizeOfPicture') : t('images.usualSize', { size: '512 × 512' })],
            ...SIZES.map((size) => [size, size.replace('x', ' × ')] as const),
          ]}
          onChange={({ target }) => change({ size: target.value })}
        />
        {number('n', '1')}
        {number('steps', t('ofModel'))}
        {number('seed', t('images.anySeed'))}
      </div>
    </>
  )
}
