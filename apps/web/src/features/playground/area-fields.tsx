import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import type { Area } from './mask-marks.ts'
import { areNumbersFit, NumberField, type NumberRange, toNumbers } from './number-field.tsx'
import * as styles from './playground.module.css'

const PERCENT: NumberRange = { min: 0, max: 100 }
const RANGES = { left: PERCENT, top: PERCENT, width: PERCENT, height: PERCENT } as const satisfies Record<
  keyof Area,
  NumberRange
>
const SIDES = ['left', 'top', 'width', 'height'] as const
const WHOLE = { left: '0', top: '0', width: '100', height: '100' }

/** Marks an area by numbers, for everyone who does not draw. */
export function AreaFields({ onArea }: { readonly onArea: (area: Area) => void }) {
  const { t } = useTranslation('playground')
  const [texts, setTexts] = useState(WHOLE)
  const { left = 0, top = 0, width = 0, height = 0 } = toNumbers(texts, RANGES)
  const isReady = areNumbersFit(texts, RANGES) && width > 0 && height > 0
  return (
    <details className={styles.more}>
      <summary>{t('mask.byNumbers')}</summary>
      <div className={styles.fields}>
        {SIDES.map((side) => (
          <NumberField
            key={side}
            label={t(`mask.${side}`)}
            text={texts[side]}
            range={PERCENT}
            onChange={(text) => setTexts({ ...texts, [side]: text })}
          />
        ))}
      </div>
      <Button disabled={!isReady} onClick={() => onArea({ left, top, width, height })}>
        {t('mask.mark')}
      </Button>
    </details>
  )
}
