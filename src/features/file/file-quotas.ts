import { excessText } from '../../access/meter.ts'
import type { Deps } from '../../deps.ts'
import { conflict } from '../../http/errors.ts'
import type { Payer, QuotaName } from '../../lib/quota.ts'
import {
  type FileBound,
  type FileExcess,
  type FileLimits,
  type FileOwner,
  spaceLeft
} from '../../registry/files.ts'
import type { Quota } from './uploads.ts'

/** Of an organization itself, whose list is read whole. */
const MAX_FILES_EACH = 1000

/** Of the owner itself first. */
type Bounds = readonly [FileBound, ...FileBound[]]

const quotaNames: Readonly<Record<keyof FileLimits, QuotaName>> = {
  files: 'files',
  bytes: 'file_bytes'
}

/** How many files, and how large together, an owner may still have. [ADR-0037] */
export class FileQuotas {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  boundsOf(owner: FileOwner): Bounds {
    const { quotas, directory, filesQuota } = this.#deps
    if (owner.kind === 'organization') {
      const limits = { files: MAX_FILES_EACH, bytes: filesQuota }
      const above = quotas.organizationsOf(owner.id).map((payer) => this.#bound(payer))
      return [{ payer: owner, reach: 'own', limits }, ...above]
    }
    const { organization_id = 0 } = directory.installation(owner.id) ?? {}
    const above = quotas.organizationsOf(organization_id).map((payer) => this.#bound(payer))
    return [this.#bound(owner), ...above]
  }

  /** For an upload: what is above the owner is asked for once, and again when the files are written. */
  share(owner: FileOwner, [own, ...above]: Bounds, without = 0): Quota {
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

  /** Counted, and told to whoever uploads. */
  full(owner: FileOwner, { bound, of }: FileExcess): Error {
    const { accounts, meter } = this.#deps
    const account = accounts.find(bound.payer)
    if (!account || (bound.reach === 'own' && owner.kind === 'organization')) {
      const { files, bytes } = bound.limits
      return conflict(
        `an organization itself has at most ${files} files of together ${Math.floor(bytes / 2 ** 20)} MiB`
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
