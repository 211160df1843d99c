import type { Deps } from '../../deps.ts'
import { conflict } from '../../http/errors.ts'
import type { Payer, QuotaName } from '../../lib/quota.ts'
import { excessText } from '../../quota/meter.ts'
import type { FileDeps } from './deps.ts'
import {
  type FileBound,
  type FileExcess,
  type FileLimits,
  type FileOwner,
  spaceLeft
} from './files.ts'
import type { UploadQuota } from './uploads.ts'

/** Limit for an organization's own files: the whole list is read at once. */
const MAX_OWN_FILES = 1000

/** The bound of the owner comes first. */
type Bounds = readonly [FileBound, ...FileBound[]]

const quotaNames: Readonly<Record<keyof FileLimits, QuotaName>> = {
  files: 'files',
  bytes: 'file_bytes'
}

/** Limits the number of files and their bytes for each owner. [ADR-0037] */
export class FileQuotas {
  readonly #deps: Deps & FileDeps

  constructor(deps: Deps & FileDeps) {
    this.#deps = deps
  }

  boundsOf(owner: FileOwner): Bounds {
    const { quotas, directory, filesQuota } = this.#deps
    if (owner.kind === 'organization') {
      const limits = { files: MAX_OWN_FILES, bytes: filesQuota }
      const above = quotas.organizationsOf(owner.id).map((payer) => this.#bound(payer))
      return [{ payer: owner, reach: 'own', limits }, ...above]
    }
    const { organization_id = 0 } = directory.installation(owner.id) ?? {}
    const above = quotas.organizationsOf(organization_id).map((payer) => this.#bound(payer))
    return [this.#bound(owner), ...above]
  }

  /** For one upload. Bounds above the owner are read once, and again when the files are written. */
  share(owner: FileOwner, [own, ...above]: Bounds, without = 0): UploadQuota {
    const { registry } = this.#deps
    const tightest = new Map<keyof FileLimits, FileBound>()
    let leftAbove: Promise<[FileBound, FileLimits][]> | undefined
    const leftOf = async (bound: FileBound): Promise<[FileBound, FileLimits]> => [
      bound,
      await spaceLeft(registry, bound, without)
    ]
    return {
      owner: `${owner.kind} ${owner.id}`,
      left: async () => {
        leftAbove ??= Promise.all(above.map(leftOf))
        const all = [await leftOf(own), ...(await leftAbove)]
        const least = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
        for (const [bound, left] of all) {
          for (const what of ['files', 'bytes'] as const) {
            if (left[what] >= least[what]) continue
            least[what] = left[what]
            tightest.set(what, bound)
          }
        }
        return least
      },
      full: (of) => this.full(owner, { bound: tightest.get(of) ?? own, of })
    }
  }

  /** Counts the excess and returns the error for the caller. */
  full(owner: FileOwner, { bound, of }: FileExcess): Error {
    const { accounts, meter } = this.#deps
    const account = accounts.find(bound.payer)
    if (!account || (bound.reach === 'own' && owner.kind === 'organization')) {
      const { files, bytes } = bound.limits
      return conflict(
        `an organization may have at most ${files} own files with ${Math.floor(bytes / 2 ** 20)} MiB together`
      )
    }
    const excess = { account, quota: quotaNames[of] }
    meter.note(excess)
    return conflict(excessText(excess, owner))
  }

  #bound(payer: Payer): FileBound {
    const { quotas } = this.#deps
    const limit = (name: QuotaName) => quotas.limit(payer.kind, payer.id, name)
    return {
      payer,
      reach: payer.kind === 'organization' ? 'below' : 'own',
      limits: { files: limit('files'), bytes: limit('file_bytes') }
    }
  }
}
