-- Programmatic orders that no log of a creation names: leaves of Merkle trees, and those that a posted part names.
-- AlterTable
ALTER TABLE "programmatic_orders" ADD COLUMN     "by_root" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "proof" BYTEA,
ADD COLUMN     "root" BYTEA,
ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'log';

-- AlterTable
ALTER TABLE "programmatic_parts" ADD COLUMN     "next_look" BIGINT DEFAULT 0;

-- Another root or proof is a change as well.
DROP TRIGGER programmatic_orders_changed ON "programmatic_orders";
CREATE CONSTRAINT TRIGGER programmatic_orders_changed AFTER UPDATE ON "programmatic_orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.created_block, OLD.context, OLD.removed_block, OLD.part_count, OLD.starts_at, OLD.ends_at, OLD.fault, OLD.poll_result,
      OLD.poll_reason, OLD.root, OLD.proof, OLD.by_root, OLD.next_look IS NULL, OLD.looked_block IS NULL AND NEW.looked_block IS NOT NULL)
    IS DISTINCT FROM (NEW.created_block, NEW.context, NEW.removed_block, NEW.part_count, NEW.starts_at, NEW.ends_at, NEW.fault,
      NEW.poll_result, NEW.poll_reason, NEW.root, NEW.proof, NEW.by_root, NEW.next_look IS NULL, false))
  EXECUTE FUNCTION place_programmatic_row();
