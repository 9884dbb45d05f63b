import type { User } from '../../lib/users.ts'
import * as styles from './users.module.css'

/** The name of an account with its address below. */
export function Person({ user: { name, email } }: { readonly user: User }) {
  return (
    <div className={styles.person}>
      <span className="medium clip" title={name}>
        {name || email}
      </span>
      {name !== '' && name !== email && (
        <span className="meta clip" title={email}>
          {email}
        </span>
      )}
    </div>
  )
}
