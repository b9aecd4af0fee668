/**
 * Lets tests insert single rows into the views of auctions, in any order. The program writes spans, changes
 * and sets itself: see `storage/auction/competition.ts`.
 */
export const insertableViews = `
CREATE FUNCTION insert_auction_order() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO auction_spans (chain_id, order_id, first_auction, last_auction)
  SELECT a.chain_id, NEW.order_id, a.id, a.id FROM auctions a WHERE a.id = NEW.auction_id AND NOT EXISTS (
    SELECT FROM auction_spans s WHERE s.order_id = NEW.order_id AND int8range(s.first_auction, s.last_auction, '[]') @> a.id);
  RETURN NEW; END $$;
CREATE TRIGGER insert_row INSTEAD OF INSERT ON auction_orders FOR EACH ROW EXECUTE FUNCTION insert_auction_order();

CREATE FUNCTION insert_auction_price() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE chain integer; series integer; following bigint; BEGIN
  SELECT a.chain_id INTO chain FROM auctions a WHERE a.id = NEW.auction_id;
  INSERT INTO price_series (chain_id, token) VALUES (chain, NEW.token) ON CONFLICT DO NOTHING;
  SELECT s.id INTO series FROM price_series s WHERE s.chain_id = chain AND s.token = NEW.token;
  SELECT a.id INTO following FROM auctions a WHERE a.chain_id = chain AND a.id > NEW.auction_id ORDER BY a.id LIMIT 1;
  IF following IS NOT NULL THEN
    INSERT INTO price_changes (series_id, auction_id) VALUES (series, following) ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO price_changes (series_id, auction_id, price) VALUES (series, NEW.auction_id, NEW.price)
    ON CONFLICT (series_id, auction_id) DO UPDATE SET price = EXCLUDED.price;
  RETURN NEW; END $$;
CREATE TRIGGER insert_row INSTEAD OF INSERT ON auction_prices FOR EACH ROW EXECUTE FUNCTION insert_auction_price();

CREATE FUNCTION insert_fee_policy() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE appended jsonb; BEGIN
  SELECT coalesce(max(s.policies::text)::jsonb, '[]') || jsonb_strip_nulls(
    jsonb_build_object('kind', NEW.kind, 'factor', NEW.factor, 'maxVolumeFactor', NEW.max_volume_factor)) INTO appended
  FROM solution_executions x JOIN fee_policy_sets s ON s.id = x.policy_set_id
  WHERE x.order_id = NEW.order_id AND x.auction_id = NEW.auction_id;
  INSERT INTO fee_policy_sets (policies) VALUES (appended) ON CONFLICT DO NOTHING;
  UPDATE solution_executions SET policy_set_id = (SELECT s.id FROM fee_policy_sets s WHERE s.policies = appended)
  WHERE order_id = NEW.order_id AND auction_id = NEW.auction_id;
  RETURN NEW; END $$;
CREATE TRIGGER insert_row INSTEAD OF INSERT ON fee_policies FOR EACH ROW EXECUTE FUNCTION insert_fee_policy()`
