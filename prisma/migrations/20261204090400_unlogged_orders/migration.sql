-- Programmatic orders that no log of a creation names: leaves of Merkle trees, and those that a posted part names.
-- AlterTable
ALTER TABLE "programmatic_orders" ADD COLUMN     "by_root" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "proof" BYTEA,
ADD COLUMN     "root" BYTEA,
ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'log';

-- AlterTable
ALTER TABLE "programmatic_parts" ADD COLUMN     "next_look" BIGINT DEFAULT 0;

-- Another root or proof is a change as well.
CREATE CONSTRAINT TRIGGER programmatic_orders_rooted AFTER UPDATE ON "programmatic_orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.root, OLD.proof, OLD.by_root) IS DISTINCT FROM (NEW.root, NEW.proof, NEW.by_root))
  EXECUTE FUNCTION place_programmatic_row();
